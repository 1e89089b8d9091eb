BEGIN TRANSACTION;
CREATE TABLE remit_grants (
	grant TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	tool TEXT NOT NULL, 
	given FLOAT NOT NULL, 
	expires FLOAT NOT NULL, 
	count INTEGER NOT NULL, 
	used INTEGER NOT NULL, 
	revoked TEXT NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (grant)
);
CREATE TABLE remit_items (
	run TEXT NOT NULL, 
	seq INTEGER NOT NULL, 
	epoch INTEGER NOT NULL, 
	at FLOAT NOT NULL, 
	kind TEXT NOT NULL, 
	call TEXT NOT NULL, 
	body TEXT NOT NULL, 
	digest BLOB NOT NULL, 
	chain BLOB NOT NULL, 
	PRIMARY KEY (run, seq)
);
INSERT INTO "remit_items" VALUES('first',0,1,1800000000.0,'opened','first','{"format":1,"tenant":"default","principal":"ada","application":"golden","agent":"","callee":"keeper","arguments":"{\"prompt\":\"Keep bread.\"}","conversation":"words","after":""}',X'FFB4A9FEA57B6E67F654F34BCFED217A9DE70CEB4A7FB51178762E7BC59D7521',X'47432EB9C4139CFBE16B24B221814571878A53B25B10F511240E18C0175CE782');
INSERT INTO "remit_items" VALUES('first',1,1,1800000001.0,'message','a53770a3ec330c60929d5aa090b6075f','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"system\",\"content\":\"Keep words.\"}","request":""}',X'FC90C129BD2DB38C6EF46DB5D1C85960560E86E09A43C0390CEC38FC03075181',X'DFC35D0411B10B4BB7B1467886457F8AD259F22A41C971F4A1B36CAFB76C59B3');
INSERT INTO "remit_items" VALUES('first',2,1,1800000002.0,'message','a53770a3ec330c60929d5aa090b6075f','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"user\",\"content\":\"Keep bread.\"}","request":""}',X'363A9856C657C0B69FB26C6A53A552BBA6F565BBF1DCE8657035AFFA5C2309CD',X'D8096C4565599F95B567E6D784A9A3DBFB4ACA3A179EE77D60261BCC3CCD4739');
INSERT INTO "remit_items" VALUES('first',3,1,1800000003.0,'message','a53770a3ec330c60929d5aa090b6075f:1','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_0_look\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}},{\"id\":\"call_1_save\",\"type\":\"function\",\"function\":{\"name\":\"save\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}},{\"id\":\"call_2_move\",\"type\":\"function\",\"function\":{\"name\":\"move\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}},{\"id\":\"call_3_nothing\",\"type\":\"function\",\"function\":{\"name\":\"nothing\",\"arguments\":\"{}\"}}]}","request":"d16a04a9422f6b93893464472fc030beeeaaaaf5b28a42d6ea5009beee7d2f49"}',X'BB3129B817EA85DA4FED8403143BF9DE57E11F58251B25C4AE9C0A1921B10EC4',X'9212F3C6AF83B66CE252E862BB2E8B72B29FA5F2BDECEAEE4F11CD9B0EED48B2');
INSERT INTO "remit_items" VALUES('first',4,1,1800000004.0,'usage','a53770a3ec330c60929d5aa090b6075f:1','{"model":"scripted (no model)","finish":"tool_calls","prompt_tokens":0,"completion_tokens":0,"response":""}',X'AA8E8858A29D317EA3542A631BA23F7BA883F6869CEE95660C115458AAEF8D28',X'9A9C1DCEB17557B477C2E886BFCF22EBC07DBAFBA08989088D6CBD8508AB35A0');
INSERT INTO "remit_items" VALUES('first',5,1,1800000005.0,'started','a8df159cdd72050b2c571c22a367481c','{"parent":"a53770a3ec330c60929d5aa090b6075f","attempt":1,"question":""}',X'41CD6DD69B2C435DD37AA4A060636E9BD9380F9176B5EB62F6ADF866F4053B63',X'544A4F8E5884CC8C785904F286E17D9D60227DBFF43237B1E5E33683F22C11A3');
INSERT INTO "remit_items" VALUES('first',6,1,1800000006.0,'tool_output','a8df159cdd72050b2c571c22a367481c','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"look","wire":"call_0_look","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_0_look\",\"content\":\"bread: a w\u00f6rd \u2014 \u8a9e\"}","outcome":"ok","final":false}',X'29C35A7D08F3D33666D11E294EE7179BE7A2BAA0D5A9B0D8BFDFC9F9F77F3A12',X'D76598FD994C8450A7BE0604BD21CC9F093933C6612301E4A4F321831D4E9D78');
INSERT INTO "remit_items" VALUES('first',7,1,1800000007.0,'started','7c9a3a07133db4c2d9f0776df12d7865','{"parent":"a53770a3ec330c60929d5aa090b6075f","attempt":1,"question":""}',X'41CD6DD69B2C435DD37AA4A060636E9BD9380F9176B5EB62F6ADF866F4053B63',X'FBB9DC2A9ACAB86430A46648745F395816F00DC8864449BA1DDE758B8E2DB907');
INSERT INTO "remit_items" VALUES('first',8,1,1800000008.0,'started','4ff5f988d19464a127785963f82f3584','{"parent":"8d5a02b11ce27a63340b489cab01f875","attempt":1,"question":""}',X'2A8863589A2881D6E783D7870BE42794E0050DD57ED787E43D2A61D16BC96EBF',X'A2950A86E5A5661F82A07DA69791FFD22C636C64A99E756A35385BC9FC17DC2D');
INSERT INTO "remit_items" VALUES('first',9,1,1800000009.0,'started','8675206449726ca32edb8b7b1532ca01','{"parent":"a53770a3ec330c60929d5aa090b6075f","attempt":1,"question":""}',X'41CD6DD69B2C435DD37AA4A060636E9BD9380F9176B5EB62F6ADF866F4053B63',X'FA445BEB4D40AF03BB9CAA56C3759DCEEB2AED4E38205790CEFCEFCFFA980FBC');
INSERT INTO "remit_items" VALUES('first',10,1,1800000010.0,'ended','8675206449726ca32edb8b7b1532ca01','{"attempt":1,"outcome":"error","content":"{\"success\":false,\"error\":\"there is no tool ''nothing''\",\"errorCode\":\"UNKNOWN_TOOL\"}","void":false,"final":false}',X'3C0C15D26C260F4D2BF9E049B64D4080184F3DC602D3E6C0C917B6B2196E9A6E',X'DB4FEC899121DF3FED14809CE8FE085596D575618B74AAA5E4554E46AFFD1342');
INSERT INTO "remit_items" VALUES('first',11,1,1800000011.0,'tool_output','8675206449726ca32edb8b7b1532ca01','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"nothing","wire":"call_3_nothing","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_3_nothing\",\"content\":\"{\\\"success\\\":false,\\\"error\\\":\\\"there is no tool ''nothing''\\\",\\\"errorCode\\\":\\\"UNKNOWN_TOOL\\\"}\"}","outcome":"error","final":false}',X'8B18F703054A2E3BC41A9CCECE45C41D473B6600E7F04F97193904665833EAEE',X'C63F81DDE61F0FFD921DCE7D1E2A5DE32BB9F54280C8DAEBD33D229847E9C3F4');
INSERT INTO "remit_items" VALUES('first',12,1,1800000012.0,'note','7c9a3a07133db4c2d9f0776df12d7865','{"name":"log","data":"{\"message\":\"saved\",\"word\":\"bread\"}"}',X'0FA91F28E8314F6096BF417E87E7E459F45655055C906C79CEF4DD30628BC309',X'3E95A0C13103F6674AD4C03F115145125FDDDA325531F89399425A5C02D0CA36');
INSERT INTO "remit_items" VALUES('first',13,1,1800000013.0,'ended','7c9a3a07133db4c2d9f0776df12d7865','{"attempt":1,"outcome":"ok","content":"{\"bread\":1}","void":false,"final":false}',X'6B6D27B4976988E23CE3461FCE9BFBA6770D6B500F0985F7D3915865B15F3CDF',X'A4F8F8CFE53BD6597986D5277488437B6DFE8F2FC511C15A5CC67415B5D0D202');
INSERT INTO "remit_items" VALUES('first',14,1,1800000014.0,'note','4ff5f988d19464a127785963f82f3584','{"name":"log","data":"{\"message\":\"saved\",\"word\":\"bread\"}"}',X'0FA91F28E8314F6096BF417E87E7E459F45655055C906C79CEF4DD30628BC309',X'E9C17AA318BBABCC5D6DDF853045C196FA88C28D22EC93F5BDACA59EEB5F9181');
INSERT INTO "remit_items" VALUES('first',15,1,1800000015.0,'ended','4ff5f988d19464a127785963f82f3584','{"attempt":1,"outcome":"ok","content":"{\"bread\":2}","void":false,"final":false}',X'150B37811EA4514C4B0D0F5CBAA74427629D5AD52AEDCB199F04D518C397A85F',X'603E89266643FB400B7EFB72E79BC1C74240C7CACEFEDC82C19269F69F3523AF');
INSERT INTO "remit_items" VALUES('first',16,1,1800000016.0,'tool_output','7c9a3a07133db4c2d9f0776df12d7865','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"save","wire":"call_1_save","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_1_save\",\"content\":\"{\\\"bread\\\":1}\"}","outcome":"ok","final":false}',X'EEEDD4F996D4256BA39348308678327E6ED7319C9B9E477D776503D735143C12',X'26F7905DBC0FBD64618632464A5CD3CA047B3BC07B38217162172572930F363E');
INSERT INTO "remit_items" VALUES('first',17,1,1800000017.0,'tool_output','4ff5f988d19464a127785963f82f3584','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"save","wire":"","text":"{\"bread\":2}","outcome":"ok","final":false}',X'63111B91A67E5DC98CF7ACE0E7FB53BF573BC4FB2588F292FFB3655B54E9CE8A',X'227CBB97841B30177C003890804F98FEFB96D03238DD65049B3B34A5EF7168E9');
INSERT INTO "remit_items" VALUES('first',18,1,1800000018.0,'started','a0f056a6830c72db42d7e3dd1b84da49','{"parent":"8d5a02b11ce27a63340b489cab01f875","attempt":1,"question":""}',X'2A8863589A2881D6E783D7870BE42794E0050DD57ED787E43D2A61D16BC96EBF',X'249841E0C1B322D304B82C83768B76FED7B1612BBD93DEAF227CE7150FE65E58');
INSERT INTO "remit_items" VALUES('first',19,1,1800000019.0,'tool_output','a0f056a6830c72db42d7e3dd1b84da49','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"look","wire":"","text":"bread: a w\u00f6rd \u2014 \u8a9e","outcome":"ok","final":false}',X'D9CE83592850391C12C9D47C73AED54C18ACE092A66BF9B9645344911337D2EE',X'B503656F430ED314717643CF42949B9A808AB24CA5E948BE5073C335EB7CE8AE');
INSERT INTO "remit_items" VALUES('first',20,1,1800000020.0,'tool_output','8d5a02b11ce27a63340b489cab01f875','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"move","wire":"call_2_move","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_2_move\",\"content\":\"moved bread: a w\u00f6rd \u2014 \u8a9e\"}","outcome":"ok","final":false}',X'DF84B931EF41A88F60B160B05D68279843A52F405BA076A055ED7917675A01B2',X'7459A4D62DA75CD45DCF4301994B5E6FD85FF6798FA96D05CB6F1426A6221DDA');
INSERT INTO "remit_items" VALUES('first',21,1,1800000021.0,'message','a53770a3ec330c60929d5aa090b6075f:2','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"assistant\",\"content\":\"Bread is saved.\"}","request":"b31c05e861702e357aa5a3c35f0cd602a7aa944af22e0c8c114e7295b4fd43a2"}',X'D13BBE6808A5A617EF3B62523A3C0CA8CCEE65E40D248D079AC50F8A6F3731A5',X'B962C841A969C1BD10CEC0EC7E1929E59E818B43EB30D43FFF71D383198E885E');
INSERT INTO "remit_items" VALUES('first',22,1,1800000022.0,'usage','a53770a3ec330c60929d5aa090b6075f:2','{"model":"scripted (no model)","finish":"stop","prompt_tokens":0,"completion_tokens":0,"response":""}',X'2F9C5EDFB6A2056663C51AA3AAC5551053EC6D0735C2A3F508A3D9A8D49F3E99',X'136AE9E4C368A152FBA3B773BFA03669870EC0DD14662FCC2EFA7B46428EDA82');
INSERT INTO "remit_items" VALUES('first',23,1,1800000023.0,'tool_output','a53770a3ec330c60929d5aa090b6075f','{"parent":"","callee":"keeper","wire":"","text":"Bread is saved.","outcome":"ok","final":false}',X'BDC5B8E2ED70327708A2FF8B9675999778E9FCF02DE12A00876C1AA5D922F582',X'7A2011DC561A6E280005B1A9335D16745C1E5E7892134F6DA3F9309688B1E5D8');
INSERT INTO "remit_items" VALUES('first',24,1,1800000024.0,'finished','first','{"status":"done","error":""}',X'7459408151D58F0009FFB67168C1B65566A51780BD3976A42AAE9CAD0B9AE956',X'43C6642DE9DDBB35A42E91D020D4FEA0BEEB460BA4E0F5678EA7A95B5354C99F');
INSERT INTO "remit_items" VALUES('second',0,1,1800000025.0,'opened','second','{"format":1,"tenant":"default","principal":"ada","application":"golden","agent":"","callee":"keeper","arguments":"{\"prompt\":\"Erase bread.\"}","conversation":"words","after":"first"}',X'49A5C376C21B3B56A5606B648978D969B72F32C122EDBBB968CF1E91AF81EA82',X'B62850EAE451A3541A8828EF432AD28E13E4D83225F6E9B64B6382E68626B6DA');
INSERT INTO "remit_items" VALUES('second',1,1,1800000026.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"system\",\"content\":\"Keep words.\"}","request":""}',X'E87978AC6EB0A74D543868DF744617CB8D44C1FC8B9E0A318FA3A703A666512B',X'9B7DC2E2085E5F3EE74A0D479C177572FB778790F4989C03854561D8DA62720C');
INSERT INTO "remit_items" VALUES('second',2,1,1800000027.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"user\",\"content\":\"Erase bread.\"}","request":""}',X'6B303234A4B09EAC17D9BB8D901FA8E6126F449CEC47C6D7174237A3655D61D7',X'9ACF4CC9CE4558A5E16492E7B2C01A2942FF50A7004BD8F2EBB7BEF45BCFF13D');
INSERT INTO "remit_items" VALUES('second',3,1,1800000028.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049:1','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_0_erase\",\"type\":\"function\",\"function\":{\"name\":\"erase\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}}]}","request":"76a76c1aa3b4dc9d97525317750047f48e9d7c27b9295c4a13c1dbfd4b1201b5"}',X'C20CEE21FE728DA306D3EDB53EAC16AE2C75F150EDB9056DB05C39613AC534DC',X'207543C210F513E263CB7B6C10CE0C83B9880877366D76C725A41830BBDE39CC');
INSERT INTO "remit_items" VALUES('second',4,1,1800000029.0,'usage','e5f5ccda5ce3f7ea55435b96bb8e8049:1','{"model":"scripted (no model)","finish":"tool_calls","prompt_tokens":0,"completion_tokens":0,"response":""}',X'AA8E8858A29D317EA3542A631BA23F7BA883F6869CEE95660C115458AAEF8D28',X'71A0015261E36E2DAAADA1192860C18A4913D13225E8E814C1A16762C6BF1F64');
INSERT INTO "remit_items" VALUES('second',5,1,1800000031.0,'question','62bd659eb4e86ea4a3eadf16703ab969','{"parent":"e5f5ccda5ce3f7ea55435b96bb8e8049","about":"approval","question":"5f5b0db5ac04","body":"{\"id\":\"5f5b0db5ac04\",\"match\":\"ed00aa58c58193cf9c05ef09f5a7b147\",\"kind\":\"approval\",\"tenant\":\"default\",\"conversation\":\"words\",\"run\":\"second\",\"call\":\"62bd659eb4e86ea4a3eadf16703ab969\",\"agent\":\"keeper\",\"asker\":\"ada\",\"tool\":\"erase\",\"arguments\":\"{\\\"word\\\":\\\"bread\\\"}\",\"definition\":\"d5798ca9a817d8160c009a653ca84776\",\"risk\":\"high\",\"rule\":\"high risk\",\"reason\":\"erase is of high risk\",\"who\":\"approvals:decide\",\"asked\":1800000030.0,\"expires\":1800604830.0,\"waits\":true,\"four_eyes\":false,\"shown\":\"\",\"edits\":\"\",\"editor\":\"\"}"}',X'E57ED2B01653D3A8E9B0119D38A940D5C06AB2F636DD614F5B297C2620ED696B',X'0BCC7EA7C6CB0136FB9D5A1F2B58BD992E29A1C310079670807F0D08A99581B4');
INSERT INTO "remit_items" VALUES('second',6,1,1800000033.0,'suspended','second','{"questions":["5f5b0db5ac04"]}',X'F29B62F3FFC575E593CE3A2549D2333A9F79FCA3832272ED06683C8A6AF19159',X'B90080A808301EA5D055D154BB594821658657FDA15B0814046D00DB66B9E093');
INSERT INTO "remit_items" VALUES('second',7,2,1800000035.0,'resumed','second','{"driver":"30859-t78wqmsrz4x5"}',X'AEE61B06EBCD2D58D73DF820150CB2C2675DFA73ABCF441C72988BC7CDCFE960',X'A7ED426BFCB71C022248B4680C89BD9928F335702E625730A67F3D188B8E88F1');
INSERT INTO "remit_items" VALUES('second',8,2,1800000036.0,'decision','62bd659eb4e86ea4a3eadf16703ab969','{"question":"5f5b0db5ac04","body":"{\"question\":\"5f5b0db5ac04\",\"approved\":true,\"by\":\"ada\",\"result\":\"\",\"reason\":\"it is stale\",\"at\":1800000034.0,\"arguments\":\"\",\"grant\":\"\"}"}',X'E1F876E3BD91ABE6C4C1EA52FF93FBBB62CD5AE281334DB5253C51000A27D7A1',X'AC4448BBC618AEC0F8B4D9BA5AD8693814CAFC9F5A47FC87235457F9AEF921E4');
INSERT INTO "remit_items" VALUES('second',9,2,1800000038.0,'started','62bd659eb4e86ea4a3eadf16703ab969','{"parent":"e5f5ccda5ce3f7ea55435b96bb8e8049","attempt":1,"question":"5f5b0db5ac04"}',X'71381C1AFA9D48BCC14983D5A4559F944D9CE330A12417A4A066543EA950203C',X'7A155BB64F91A8E67DDA8286D400617CEF294DE944FCC46D5E8A64D5DB3FED4E');
INSERT INTO "remit_items" VALUES('second',10,2,1800000039.0,'ended','62bd659eb4e86ea4a3eadf16703ab969','{"attempt":1,"outcome":"ok","content":"erased bread","void":false,"final":false}',X'C9F378804F1F436AD393FE84779A0F2C8A2B7E00CBED2F077348204514343E96',X'204EF978CD87F702FC761FBB856CF9401814C897239935285C6A3A91AA6071B1');
INSERT INTO "remit_items" VALUES('second',11,2,1800000040.0,'tool_output','62bd659eb4e86ea4a3eadf16703ab969','{"parent":"e5f5ccda5ce3f7ea55435b96bb8e8049","callee":"erase","wire":"call_0_erase","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_0_erase\",\"content\":\"erased bread\"}","outcome":"ok","final":false}',X'9CE075862F28E1E7146E25B932D3F1AA58A8D1BB6C8E9F04242D3D7F0713CE52',X'315F2CB5CE3446FD0FE899892308D7EE3A3ACD13A173C7315A7CEFA47CEE6C6A');
INSERT INTO "remit_items" VALUES('second',12,2,1800000041.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049:2','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"assistant\",\"content\":\"Bread is erased.\"}","request":"1f72eb7140be6ac75b7ef640e33c08e72cd12d71350976ebb094ebf04a92d413"}',X'DC91114CA1620C9961C042F9012D2B43BC86C3C5684845D1F53425786F7BB71E',X'4FE37B372DC566EBA654F72E0F0CED29B5CFE93130250AD271EF604982C7E189');
INSERT INTO "remit_items" VALUES('second',13,2,1800000042.0,'usage','e5f5ccda5ce3f7ea55435b96bb8e8049:2','{"model":"scripted (no model)","finish":"stop","prompt_tokens":0,"completion_tokens":0,"response":""}',X'2F9C5EDFB6A2056663C51AA3AAC5551053EC6D0735C2A3F508A3D9A8D49F3E99',X'DE013A87374DD4BBB72387F3E9A8C6B26D41771AD431017F049575E9D9CDC0D3');
INSERT INTO "remit_items" VALUES('second',14,2,1800000043.0,'tool_output','e5f5ccda5ce3f7ea55435b96bb8e8049','{"parent":"","callee":"keeper","wire":"","text":"Bread is erased.","outcome":"ok","final":false}',X'E74CFF7B656BFB2B34D306A8F9BB48AB2C684E64A7BBA52E2D23858E6BEC6DA8',X'424120A6657948E575C857C4462EDA907B3E8608ED4FF5396BCC6F63831C7407');
INSERT INTO "remit_items" VALUES('second',15,2,1800000044.0,'finished','second','{"status":"done","error":""}',X'7459408151D58F0009FFB67168C1B65566A51780BD3976A42AAE9CAD0B9AE956',X'A216E4DF16F35566197760C3BA15464F9AE72770899F4863C04AC48C81AED8A9');
INSERT INTO "remit_items" VALUES('third',0,1,1800000045.0,'opened','third','{"format":1,"tenant":"default","principal":"ada","application":"golden","agent":"","callee":"keeper","arguments":"{\"prompt\":\"Erase salt.\"}","conversation":"words","after":"second"}',X'7BFBF78A6CEF9B8876B31AF54865B118114E502188F4F1503FB0BC626A695181',X'F94FCB2F05F0278487C9D4BFD92D7BAF690D3C8E4CE8BB55F17B736B92AE8761');
INSERT INTO "remit_items" VALUES('third',1,1,1800000046.0,'message','1cefc44e168054be3f655e671d292060','{"agent":"1cefc44e168054be3f655e671d292060","text":"{\"role\":\"system\",\"content\":\"Keep words.\"}","request":""}',X'65E9F3CADE839A5738F5C18BAE8763683D738B736FC4BCD8C208614EA11591CE',X'7CF3AE2F70EC53256C10C9329B275E1155E6E5CDFF5D3E3DF3497478F493F400');
INSERT INTO "remit_items" VALUES('third',2,1,1800000047.0,'message','1cefc44e168054be3f655e671d292060','{"agent":"1cefc44e168054be3f655e671d292060","text":"{\"role\":\"user\",\"content\":\"Erase salt.\"}","request":""}',X'CBDD3D474117D4E8A525ACB8B1653E26B5971F83AF51849B26B82C7C9DBA296C',X'02444710C81B74480B379065E644DF0550233C097B61B7D45602BE104216E6F7');
INSERT INTO "remit_items" VALUES('third',3,1,1800000048.0,'message','1cefc44e168054be3f655e671d292060:1','{"agent":"1cefc44e168054be3f655e671d292060","text":"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_5_1\",\"type\":\"function\",\"function\":{\"name\":\"erase\",\"arguments\":\"{\\\"word\\\": \\\"salt\\\"}\"}},{\"id\":\"call_6_1\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"word\\\": \\\"salt\\\"}\"}}]}","request":"c372baf08662d155ab6423f24f058f87a116685865dddd7d4c6c9f278bbc4040"}',X'765E5CAD4DD5012698C2BEA0CDCCD5A2291123FE80D3972E2DDA1B5D3E01116C',X'C524B523D9E0F79673B503A005F02FA7690143E07222E6FCBFDC98ABB5E6311D');
INSERT INTO "remit_items" VALUES('third',4,1,1800000049.0,'usage','1cefc44e168054be3f655e671d292060:1','{"model":"scripted (no model)","finish":"tool_calls","prompt_tokens":0,"completion_tokens":0,"response":""}',X'AA8E8858A29D317EA3542A631BA23F7BA883F6869CEE95660C115458AAEF8D28',X'ECFDA60B1F85A154EE6AD61CF51E932F82AA8628444410B0A1C9C5D45B70A609');
INSERT INTO "remit_items" VALUES('third',5,1,1800000050.0,'started','d70dc6573d8ff6052d698736bb89561c','{"parent":"1cefc44e168054be3f655e671d292060","attempt":1,"question":""}',X'9817FC4EE77705D16E3BD9FAEB1B3F36437A98DD36AB0843FBEFC610A7E8F166',X'B6F87572C9DF253AAB1EA68E0741A5FB333F1EFBAA27F630657F5E8B1B981FD1');
INSERT INTO "remit_items" VALUES('third',6,1,1800000051.0,'tool_output','d70dc6573d8ff6052d698736bb89561c','{"parent":"1cefc44e168054be3f655e671d292060","callee":"look","wire":"call_6_1","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_6_1\",\"content\":\"salt: a w\u00f6rd \u2014 \u8a9e\"}","outcome":"ok","final":false}',X'9385B7CFE9CFF3DEA7D0EFEB96703D9605939491FC9B41AFFECB282358AD069E',X'9338879DD12110DA7CD6797CFBCA4BD59607A0435CC1B0050E5C03AD14BB73D3');
INSERT INTO "remit_items" VALUES('third',7,1,1800000053.0,'question','f97360cfa986f5cca82bfaa86ba72579','{"parent":"1cefc44e168054be3f655e671d292060","about":"approval","question":"ec18bde607f9","body":"{\"id\":\"ec18bde607f9\",\"match\":\"1439cda3cc775713537c94f9b3fa0322\",\"kind\":\"approval\",\"tenant\":\"default\",\"conversation\":\"words\",\"run\":\"third\",\"call\":\"f97360cfa986f5cca82bfaa86ba72579\",\"agent\":\"keeper\",\"asker\":\"ada\",\"tool\":\"erase\",\"arguments\":\"{\\\"word\\\":\\\"salt\\\"}\",\"definition\":\"d5798ca9a817d8160c009a653ca84776\",\"risk\":\"high\",\"rule\":\"high risk\",\"reason\":\"erase is of high risk\",\"who\":\"approvals:decide\",\"asked\":1800000052.0,\"expires\":1800604852.0,\"waits\":true,\"four_eyes\":false,\"shown\":\"\",\"edits\":\"\",\"editor\":\"\"}"}',X'07B7650CCA4AF295D748AED5215D22C7AA49AC1FC2812F8930FF32F151107646',X'CF243DC569F3BFEA701FB5072BD0DDA8D397F3C846D5413D8ECAA049296FDF62');
INSERT INTO "remit_items" VALUES('third',8,1,1800000055.0,'suspended','third','{"questions":["ec18bde607f9"]}',X'65BFC2B8D2144FE070C14DBE37533CC6FD0C8ADA94C49DDE6645251FEB69FCA4',X'EFD90E90462DCE36CC9E2D855BA20A332DF91F84FCFADA703CB5E581A83ACC52');
CREATE TABLE remit_questions (
	question TEXT NOT NULL, 
	run TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	"match" TEXT NOT NULL, 
	status TEXT NOT NULL, 
	asked FLOAT NOT NULL, 
	body TEXT NOT NULL, 
	decision TEXT NOT NULL, 
	taken_run TEXT NOT NULL, 
	taken_call TEXT NOT NULL, 
	PRIMARY KEY (question)
);
INSERT INTO "remit_questions" VALUES('5f5b0db5ac04','second','words','ed00aa58c58193cf9c05ef09f5a7b147','taken',1800000030.0,'{"id":"5f5b0db5ac04","match":"ed00aa58c58193cf9c05ef09f5a7b147","kind":"approval","tenant":"default","conversation":"words","run":"second","call":"62bd659eb4e86ea4a3eadf16703ab969","agent":"keeper","asker":"ada","tool":"erase","arguments":"{\"word\":\"bread\"}","definition":"d5798ca9a817d8160c009a653ca84776","risk":"high","rule":"high risk","reason":"erase is of high risk","who":"approvals:decide","asked":1800000030.0,"expires":1800604830.0,"waits":true,"four_eyes":false,"shown":"","edits":"","editor":""}','{"question":"5f5b0db5ac04","approved":true,"by":"ada","result":"","reason":"it is stale","at":1800000034.0,"arguments":"","grant":""}','second','62bd659eb4e86ea4a3eadf16703ab969');
INSERT INTO "remit_questions" VALUES('ec18bde607f9','third','words','1439cda3cc775713537c94f9b3fa0322','open',1800000052.0,'{"id":"ec18bde607f9","match":"1439cda3cc775713537c94f9b3fa0322","kind":"approval","tenant":"default","conversation":"words","run":"third","call":"f97360cfa986f5cca82bfaa86ba72579","agent":"keeper","asker":"ada","tool":"erase","arguments":"{\"word\":\"salt\"}","definition":"d5798ca9a817d8160c009a653ca84776","risk":"high","rule":"high risk","reason":"erase is of high risk","who":"approvals:decide","asked":1800000052.0,"expires":1800604852.0,"waits":true,"four_eyes":false,"shown":"","edits":"","editor":""}','','','');
CREATE TABLE remit_runs (
	run TEXT NOT NULL, 
	epoch INTEGER NOT NULL, 
	driver TEXT NOT NULL, 
	until FLOAT NOT NULL, 
	next_seq INTEGER NOT NULL, 
	status TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	principal TEXT NOT NULL, 
	application TEXT NOT NULL, 
	agent TEXT NOT NULL, 
	callee TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	"after" TEXT NOT NULL, 
	opened FLOAT NOT NULL, 
	ended FLOAT NOT NULL, 
	cancelled TEXT NOT NULL, 
	PRIMARY KEY (run)
);
INSERT INTO "remit_runs" VALUES('first',1,'30859-t78wqmsrz4x5',0.0,25,'done','default','ada','golden','','keeper','words','',1800000000.0,1800000024.0,'');
INSERT INTO "remit_runs" VALUES('second',2,'30859-t78wqmsrz4x5',0.0,16,'done','default','ada','golden','','keeper','words','first',1800000025.0,1800000044.0,'');
INSERT INTO "remit_runs" VALUES('third',1,'30859-t78wqmsrz4x5',0.0,9,'waiting','default','ada','golden','','keeper','words','second',1800000045.0,0.0,'');
CREATE TABLE remit_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT remit_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "remit_version" VALUES('0002');
CREATE INDEX remit_runs_conversation ON remit_runs (conversation, opened);
CREATE INDEX remit_questions_match ON remit_questions (conversation, "match");
CREATE INDEX remit_questions_run ON remit_questions (run);
CREATE INDEX remit_grants_tool ON remit_grants (tenant, tool);
COMMIT;
